import type { Static, StrictObject } from '#wire/schema-builders.ts'
import type { CliInstallation } from './installation.ts'

type OptionSchemas = Parameters<typeof StrictObject>[0]

/** Prints a result: with --json the object on a line of its own, otherwise the text. */
export type PrintResult = (result: object, text: string) => void

/**
 * A command of the command line. Its help and the parsing of its options follow from this value.
 */
export interface Command {
  /** The words of the command, such as `workspace create`. */
  name: string
  summary: string
  /**
   * Schemas by name without dashes. Values are strings; a list may be repeated; a flag has no
   * value.
   */
  options: OptionSchemas
  /** The options that are positional, in this order. */
  positionals?: readonly string[]
  /** Returns what is printed at the end; undefined if everything has been printed already. */
  run(
    installation: CliInstallation,
    options: unknown,
    print: PrintResult,
  ): Promise<object | undefined>
  /** Whether the result is a failure, for which the exit code is 1. */
  isFailure?(result: object): boolean
  /** Formats the result for people, if a list of its fields is not suitable. */
  format?(result: object): string
  /** The result if the environment is misconfigured. Without it, only the mistakes are printed. */
  misconfigured?(mistakes: readonly string[]): object
}

interface TypedCommand<P extends OptionSchemas> extends Omit<Command, 'options' | 'run'> {
  options: P
  run(
    installation: CliInstallation,
    options: Static<ReturnType<typeof StrictObject<P>>>,
    print: PrintResult,
  ): Promise<object | undefined>
}

/** Defines a command whose `run` gets its options with their types. */
export const defineCommand = <P extends OptionSchemas>(value: TypedCommand<P>): Command =>
  value as Command
