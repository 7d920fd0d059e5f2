import type { Tool, ToolCommand } from './toolchain.ts'

/** A generator of clients, or a checker of the document. */
export interface ClientGenerator {
  /** Also the folder of tools/clients/programs that has its settings and its program. */
  readonly name: string
  readonly language: string
  readonly tools: readonly Tool[]
  /** The tool whose packages the program imports. */
  readonly modules?: Tool
  /** Run in a copy of the folder that has the document as `openapi.json`, as all commands are. */
  readonly generate: readonly ToolCommand[]
  /** Finds each warning in what the generator prints. */
  readonly warning: RegExp
  readonly compile?: readonly ToolCommand[]
  /** Calls the API. It fails if a reply is not as the story has it. */
  readonly run?: ToolCommand
  /** Whether it sends invalid requests on purpose, and judges the replies by itself. */
  readonly isFuzzer?: boolean
  /** A program of docs/guides/clients.md, where it goes and how to run it. */
  readonly sample?: { readonly name: string; readonly folder: string; readonly run: ToolCommand }
}
