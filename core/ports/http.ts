// Requests to other machines.

export interface Http {
  /**
   * As the web platform's `fetch`: resolves with the head of the answer, whose body comes as it is read. Ends, with the
   * body, when `init.signal` aborts.
   * @throws TypeError where there is no connection
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
}
