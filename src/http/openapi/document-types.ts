/**
 * An OpenAPI 3.1 document, as far as Docket creates it. Only schemas are referenced: the parameters,
 * headers and responses that the served document shares stand where they belong.
 */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: OpenApiInfo
  readonly servers?: readonly { readonly url: string; readonly description?: string }[] | undefined
  readonly security?: readonly object[] | undefined
  readonly tags?: readonly OpenApiTag[] | undefined
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly webhooks?: OpenApiDocument['paths'] | undefined
  readonly components?: OpenApiComponents | undefined
}

/** What the document says of itself. */
interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly summary?: string
  readonly description?: string
  readonly license?: { readonly name: string; readonly identifier: string }
  readonly contact?: { readonly name: string; readonly url: string }
}

/** What other parts of the document reference by name. */
interface OpenApiComponents {
  readonly schemas?: Readonly<Record<string, OpenApiSchema>> | undefined
  readonly securitySchemes?: Readonly<Record<string, object>> | undefined
}

/** A resource, which groups operations. */
interface OpenApiTag {
  readonly name: string
  readonly description?: string | undefined
}

/** One method of one path. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string | undefined
  readonly tags: readonly string[]
  readonly 'x-scope'?: string | undefined
  readonly security?: readonly object[] | undefined
  /** Which roles may call it, in words. */
  readonly 'x-roles'?: string | undefined
  readonly parameters?: readonly OpenApiParameter[] | undefined
  readonly requestBody?:
    | { readonly required?: boolean | undefined; readonly content: OpenApiContent }
    | undefined
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

/** A value in the path, the query or a header. */
export interface OpenApiParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean | undefined
  readonly description?: string | undefined
  /** How lists are written: `form` without `explode` separates their values by commas. */
  readonly style?: string | undefined
  readonly explode?: boolean | undefined
  readonly schema: OpenApiSchema
  readonly example?: unknown
}

/** A header of a response. */
export interface OpenApiHeader {
  readonly description?: string | undefined
  readonly schema: OpenApiSchema
}

/** The response with one status. */
export interface OpenApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, OpenApiHeader>> | undefined
  readonly content?: OpenApiContent | undefined
}

/** Schemas by media type. */
export type OpenApiContent = Readonly<
  Record<string, { readonly schema?: OpenApiSchema | undefined; readonly example?: unknown }>
>

/** The part of JSON Schema 2020-12 that the pages can describe. */
export interface OpenApiSchema {
  readonly $ref?: string | undefined
  readonly type?: string | readonly string[] | undefined
  readonly description?: string | undefined
  readonly properties?: Readonly<Record<string, OpenApiSchema>> | undefined
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: boolean | OpenApiSchema | undefined
  readonly items?: OpenApiSchema | undefined
  readonly anyOf?: readonly OpenApiSchema[] | undefined
  readonly oneOf?: readonly OpenApiSchema[] | undefined
  readonly allOf?: readonly OpenApiSchema[] | undefined
  readonly discriminator?:
    | {
        readonly propertyName: string
        readonly mapping?: Readonly<Record<string, string>> | undefined
      }
    | undefined
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
  readonly propertyNames?: OpenApiSchema | undefined
  readonly maxProperties?: number | undefined
  readonly uniqueItems?: boolean | undefined
}

/** All operations with path and method, in the order of the document. */
export function listCalls(openapi: OpenApiDocument) {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): OperationCall => ({ path, method, operation }),
    ),
  )
}

/** An operation with its path and its method in lower case. */
export interface OperationCall {
  readonly path: string
  readonly method: string
  readonly operation: OpenApiOperation
}
