import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Static, TObject } from 'typebox'
import { createSchemaParser } from '#wire/schema-parser.ts'
import type { Scope } from '#wire/scopes.ts'
import { type CallEndpoint, ToolError } from './call-endpoint.ts'
import type { RecordNames } from './record-names.ts'
import { toInputSchema } from './tool-schemas.ts'

/** What a tool works with during one call. */
export interface ToolContext {
  call: CallEndpoint
  names: RecordNames
  /** The API key or application that calls. */
  credential_id: string | null
  /** Whether it only shows what it would do. */
  isPreview: boolean
  /** The `Idempotency-Key` of the request, which a key among the arguments goes before. */
  idempotencyKey: string | undefined
}

interface ToolDefinition<S extends TObject> {
  name: string
  title: string
  description: string
  /** It is listed for credentials that have one of these scopes. */
  scopes: readonly Scope[]
  annotations: ToolAnnotations
  input: S
  /** Returns the text of the reply. */
  run(context: ToolContext, input: Static<S>): Promise<string>
}

/** A tool, of whose input only itself knows the type. */
export interface Tool extends Omit<ToolDefinition<TObject>, 'run'> {
  inputSchema: ReturnType<typeof toInputSchema>
  run(context: ToolContext, input: unknown): Promise<string>
}

/** Defines a tool, whose input is parsed before it runs. */
export function defineTool<S extends TObject>(definition: ToolDefinition<S>): Tool {
  const { input, run, annotations } = definition
  const parse = createSchemaParser(input)
  return {
    ...definition,
    // All that a tool reads and changes is in this installation.
    annotations: { ...annotations, openWorldHint: false },
    inputSchema: toInputSchema(input),
    async run(context, given) {
      const { value, errors } = parse(given ?? {})
      if (errors.length === 0) return run(context, value as Static<S>)
      const lines = errors.map(({ field, message }) => `${field}: ${message}`)
      throw new ToolError('validation_failed', lines.join('\n'))
    },
  }
}

/** The context of a call that only shows what it would do. */
export const toPreview = (context: ToolContext): ToolContext => ({
  ...context,
  isPreview: true,
  call: (endpoint, more) => context.call(endpoint, { ...more, dryRun: endpoint.method !== 'GET' }),
})

/** Annotations of tools that change nothing. */
export const READS: ToolAnnotations = { readOnlyHint: true }
/** Annotations of tools that only add something. */
export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
}
