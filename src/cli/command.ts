import { Flag, Optional, type Static, type StrictObject } from '#wire/schema-builders.ts'
import type { CliInstallation } from './installation.ts'
import type { PrintPages } from './list-printer.ts'

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
  /**
   * What the command does to an installation (default: `write`). `read` never changes or creates
   * anything, and only `create` may begin a new installation.
   */
  access?: 'read' | 'write' | 'create'
  /**
   * How the command uses the secret of the installation (default: `required`). `optional` works also
   * when it is lost, and `renewed` replaces it.
   */
  secretUse?: 'required' | 'optional' | 'renewed'
  /**
   * Describes what a destructive command will do, in one sentence. The command then has the option
   * `--yes`, and asks without it. Undefined if there is nothing to confirm.
   */
  describeConsequence?(installation: CliInstallation, options: unknown): Promise<string | undefined>
  /** Returns what is printed at the end; undefined if everything has been printed already. */
  run(
    installation: CliInstallation,
    options: unknown,
    print: PrintResult,
    printPages: PrintPages,
  ): Promise<object | undefined>
  /** Whether the result is a failure, for which the exit code is 1. */
  isFailure?(result: object): boolean
  /** Formats the result for people, if a list of its fields is not suitable. */
  format?(result: object): string
  /** The result if the environment is misconfigured. Without it, only the mistakes are printed. */
  misconfigured?(mistakes: readonly string[]): object
}

type OptionValues<P extends OptionSchemas> = Static<ReturnType<typeof StrictObject<P>>>

interface TypedCommand<P extends OptionSchemas>
  extends Omit<Command, 'options' | 'run' | 'describeConsequence'> {
  options: P
  describeConsequence?(
    installation: CliInstallation,
    options: OptionValues<P>,
  ): Promise<string | undefined>
  run(
    installation: CliInstallation,
    options: OptionValues<P>,
    print: PrintResult,
    printPages: PrintPages,
  ): Promise<object | undefined>
}

/** Defines a command whose `run` gets its options with their types. */
export const defineCommand = <P extends OptionSchemas>(value: TypedCommand<P>): Command =>
  value as Command

/** Defines a command that destroys something and therefore asks first, or needs `--yes`. */
export const defineDestructiveCommand = <P extends OptionSchemas>(
  value: TypedCommand<P> & Required<Pick<TypedCommand<P>, 'describeConsequence'>>,
): Command => ({ ...defineCommand(value), options: { ...value.options, yes: Optional(YesOption) } })

const YesOption = Flag({ description: 'Do it without asking' })
