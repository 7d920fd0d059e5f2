import type { Fields, Static } from '#wire/schema.ts'
import type { Installation } from './installation.ts'

type Options = Parameters<typeof Fields>[0]

/** Prints something while a command runs: with --json the object on a line of its own, else the text. */
export type Tell = (told: object, text: string) => void

/** What a command line may ask for, as a value: help, reading and checking are made from it. */
export interface Command {
  /** The words by which it is called, such as `workspace create`. */
  name: string
  summary: string
  /** By name without dashes. Values are texts; a list may be given again and again; a flag has none. */
  options: Options
  /** Options that are given by their place alone, in this order. */
  places?: readonly string[]
  /** Gives what is printed at the end; undefined where all has been told already. */
  run(installation: Installation, given: unknown, tell: Tell): Promise<object | undefined>
  /** Whether what was printed is bad news: then the exit code is 1. */
  failed?(printed: object): boolean
  /** What was printed as people read it, where that is no list of its fields. */
  text?(printed: object): string
  /** What is printed where the environment is wrong, in place of its mistakes alone. */
  misconfigured?(mistakes: readonly string[]): object
}

interface Typed<P extends Options> extends Omit<Command, 'options' | 'run'> {
  options: P
  run(
    installation: Installation,
    given: Static<ReturnType<typeof Fields<P>>>,
    tell: Tell,
  ): Promise<object | undefined>
}

/** Keeps the types of the options for the command itself. */
export const command = <P extends Options>(value: Typed<P>): Command => value as Command
