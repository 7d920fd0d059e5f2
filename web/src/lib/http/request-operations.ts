const MAX_KEYS = 1_000
const operations = new Map<string, readonly string[]>()

/** Notes the operations of a request by its idempotency key, so that they can be undone. */
export function noteOperations(key: string, ids: readonly string[]): void {
  if (ids.length === 0) return
  operations.set(key, [...new Set([...operationsOf(key), ...ids])])
  const [oldest] = operations.keys()
  if (operations.size > MAX_KEYS && oldest !== undefined) operations.delete(oldest)
}

/** The operations of a request of this page; none if it has changed nothing, or is not answered. */
export const operationsOf = (key: string): readonly string[] => operations.get(key) ?? []
