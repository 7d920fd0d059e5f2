/**
 * Reads single settings of the environment. Each feature reads its own group with it, and `config` collects
 * the groups. A value that is wrong becomes the default, with a line in `mistakes`.
 */
export interface SettingReader {
  /** One line for each setting that is wrong. A reader adds what it finds itself. */
  readonly mistakes: string[]
  /** The text of a setting; undefined if it is not set. */
  text(name: string): string | undefined
  /**
   * The text of a setting that holds a secret: it may also be in a file, which the same name with `_FILE`
   * names, and is never printed.
   */
  secret(name: string): string | undefined
  /** Like `text`, and the default counts as the value in force. */
  textOrDefault(name: string, defaultValue: string): string
  /** Reports a default that follows from other settings as the value in force. */
  recordDefault(name: string, value: string): string
  /** The path of a file or folder. */
  path(name: string, defaultValue: string): string
  integer(name: string, defaultValue: number, min: number, max: number): number
  oneOf<const W extends string>(name: string, values: readonly W[], defaultValue: W): W
  /** Values that commas separate; `expected` says in a mistake what they must be. */
  list(name: string, isValid: (part: string) => boolean, expected: string): string[]
  /** `1` or `0`. */
  flag(name: string, defaultValue: boolean): boolean
}
