/**
 * Whether a path is one that a shell was to complete with the home directory, which it does not within
 * quotes or after `=`. Taken literally it would name a new folder `~` in the current one.
 */
export const isTildePath = (path: string): boolean => path.startsWith('~')

/** What is accepted instead, after "must be". */
export const NO_TILDE_PATH =
  'a path that does not begin with ~, which your shell has not replaced: write $HOME or the whole path'
