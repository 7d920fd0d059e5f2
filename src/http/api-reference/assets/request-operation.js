import { fetchReply } from './request-fetch.js'

let openapi

/** The OpenAPI document, requested when the first form opens. */
function loadDocument() {
  openapi ??= fetchReply('/api/v1/openapi.json').then((response) => {
    if (!response.ok) throw new Error(`The OpenAPI document replied ${response.status}.`)
    return response.json()
  })
  openapi.catch(() => {
    openapi = undefined
  })
  return openapi
}

/** Finds an operation: method, path, and parameters and body with their references resolved. */
export async function loadOperation(operationId) {
  const content = await loadDocument()
  const resolve = (node) =>
    node?.$ref
      ? resolve(
          node.$ref
            .slice(2)
            .split('/')
            .reduce((part, name) => part[name], content),
        )
      : node
  for (const [path, methods] of Object.entries(content.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== operationId) continue
      const parameters = (operation.parameters ?? []).map((reference) => {
        const parameter = resolve(reference)
        const schema = { ...parameter.schema, ...resolve(parameter.schema) }
        return { ...parameter, schema: { ...schema, items: resolve(schema.items) } }
      })
      return { method: method.toUpperCase(), path, operation, parameters }
    }
  }
  throw new Error(`The OpenAPI document has no operation ${operationId}.`)
}
