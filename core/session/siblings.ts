// Calls of one process that wait for the same files with the same tags are one batch (hashline.md decision 10).

/** A waiting call. `targets` is known once `ready` has resolved: real path → tag. */
export interface WaitingCall {
  readonly ready: Promise<unknown>;
  readonly targets: ReadonlyMap<string, string>;
}

export interface Siblings {
  /** Announces a call; the function takes it off the list, and says whether it was still on it. */
  announce(call: WaitingCall): () => boolean;
  /** Whether nobody has taken the call yet. */
  isWaiting(call: WaitingCall): boolean;
  /** Takes off the list, in order of arrival, the leader and every call whose targets are some of its own. */
  take(leader: WaitingCall): Promise<readonly WaitingCall[]>;
}

export function createSiblings(): Siblings {
  let waiting: WaitingCall[] = [];
  const remove = (call: WaitingCall) => {
    const present = waiting.includes(call);
    waiting = waiting.filter((other) => other !== call);
    return present;
  };
  return {
    announce(call) {
      waiting.push(call);
      return () => remove(call);
    },
    isWaiting: (call) => waiting.includes(call),
    async take(leader) {
      await Promise.allSettled(waiting.map(({ ready }) => ready));
      const batch = waiting.filter(
        (call) => call === leader || isPartOf(call.targets, leader.targets),
      );
      waiting = waiting.filter((call) => !batch.includes(call));
      return batch;
    },
  };
}

function isPartOf(part: ReadonlyMap<string, string>, whole: ReadonlyMap<string, string>): boolean {
  return part.size > 0 && [...part].every(([path, tag]) => whole.get(path) === tag);
}
