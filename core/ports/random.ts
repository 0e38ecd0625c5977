export interface Random {
  /** Lower-case hex of that many random bytes, unguessable. */
  hex(bytes: number): string;
}
