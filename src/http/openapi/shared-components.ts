import { isDeepStrictEqual } from 'node:util'
import type {
  OpenApiDocument,
  OpenApiHeader,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from '../api-reference/openapi/openapi-types.ts'
import { describeErrorStatus, explainErrorStatus } from './error-responses.ts'

/** Components by kind and name, and references to them by the JSON of what they replace. */
interface SharedComponents {
  parameters: Record<string, object>
  headers: Record<string, object>
  responses: Record<string, object>
}

/**
 * Returns the document as it is served: every header, every error reply and every parameter of
 * several operations is declared once, in the components, and referenced. Throws if two different
 * ones would get the same name.
 */
export function shareComponents(document: OpenApiDocument): object {
  const components: SharedComponents = { parameters: {}, headers: {}, responses: {} }
  const isRepeated = findRepeatedParameters(document)

  function share(kind: keyof SharedComponents, name: string, component: object) {
    if (!isDeepStrictEqual(components[kind][name] ?? component, component)) {
      throw new Error(`Two different ${kind} have the name ${name}`)
    }
    components[kind][name] = component
    return { $ref: `#/components/${kind}/${name}` }
  }

  const shareParameter = (parameter: OpenApiParameter) =>
    isRepeated(parameter) ? share('parameters', parameterName(parameter), parameter) : parameter

  const shareHeaders = (headers: Readonly<Record<string, OpenApiHeader>> = {}) =>
    mapValues(headers, (header, name) => share('headers', name.replaceAll('-', ''), header))

  function shareResponse(response: OpenApiResponse, status: string) {
    const shared = {
      ...response,
      ...(response.headers && { headers: shareHeaders(response.headers) }),
    }
    if (/^[23]/.test(status)) return shared
    const { name } = describeErrorStatus(status)
    const explained = { ...shared, description: explainErrorStatus(status) }
    const reference = share('responses', name, explained)
    // The description beside a reference replaces that of the component (OpenAPI 3.1).
    return { ...reference, description: response.description }
  }

  const shareOperation = (operation: OpenApiOperation) => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map(shareParameter) }),
    responses: mapValues(operation.responses, shareResponse),
  })
  // Not what only webhooks have: some generators leave it out, but keep the references to it.
  const paths = mapValues(document.paths, (methods) => mapValues(methods, shareOperation))
  return { ...document, paths, components: { ...document.components, ...components } }
}

/** Which parameters several operations have. */
function findRepeatedParameters({ paths }: OpenApiDocument) {
  const counts = new Map<string, number>()
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const text = JSON.stringify(parameter)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return (parameter: OpenApiParameter) => (counts.get(JSON.stringify(parameter)) ?? 0) > 1
}

/** The query parameters that do not filter a list. */
const NO_FILTERS = ['limit', 'cursor', 'dry_run']

/** "TaskId" for the id of a task in a path, "TagIdFilter" in a query, "IfMatchHeader". */
function parameterName({ name, in: place, description = '' }: OpenApiParameter): string {
  const [, noun = ''] = place === 'path' ? (/^The id of the ([a-z ]+)/.exec(description) ?? []) : []
  const isFilter = place === 'query' && !NO_FILTERS.includes(name)
  const suffix = place === 'header' ? 'header' : isFilter ? 'filter' : ''
  return `${noun} ${name} ${suffix}`
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
