/** What the pages read of an OpenAPI 3.1 document. A real document may hold more. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers?: readonly { readonly url: string }[] | undefined
  readonly tags?: readonly Tag[] | undefined
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> | undefined }
}

/** A resource: the operations that name it stand under it. */
export interface Tag {
  readonly name: string
  readonly description?: string | undefined
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string | undefined
  readonly tags: readonly string[]
  readonly 'x-scope'?: string | undefined
  readonly security?: readonly object[] | undefined
  readonly parameters?: readonly Parameter[] | undefined
  readonly requestBody?:
    | { readonly required?: boolean | undefined; readonly content: Content }
    | undefined
  readonly responses: Readonly<Record<string, Reply>>
}

/** A value in the path, the query or a header. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean | undefined
  readonly description?: string | undefined
  readonly schema: Schema
}

/** What one status answers. */
export interface Reply {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>> | undefined
  readonly content?: Content | undefined
}

/** Schemas by media type. */
export type Content = Readonly<
  Record<string, { readonly schema?: Schema | undefined; readonly example?: unknown }>
>

/** The part of JSON Schema 2020-12 that the pages can say in words. */
export interface Schema {
  readonly $ref?: string | undefined
  readonly type?: string | readonly string[] | undefined
  readonly description?: string | undefined
  readonly properties?: Readonly<Record<string, Schema>> | undefined
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: boolean | Schema | undefined
  readonly items?: Schema | undefined
  readonly anyOf?: readonly Schema[] | undefined
  readonly oneOf?: readonly Schema[] | undefined
  readonly allOf?: readonly Schema[] | undefined
  readonly enum?: readonly unknown[] | undefined
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[] | undefined
  readonly pattern?: string | undefined
  readonly format?: string | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
  readonly uniqueItems?: boolean | undefined
}
