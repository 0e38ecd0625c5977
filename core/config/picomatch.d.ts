// The package ships no types; this is what we use of it.
declare module "picomatch" {
  interface Options {
    /** Wildcards match names that begin with a dot too. */
    readonly dot?: boolean;
  }
  const picomatch: {
    isMatch(text: string, glob: string | readonly string[], options?: Options): boolean;
  };
  export = picomatch;
}
