const MAX_OWN_OPERATIONS = 500
const ownOperations = new Set<string>()

/** Records an operation of this page, so that the hint about it is ignored. */
export function recordOwnOperation(operation_id: string | undefined): void {
  if (operation_id === undefined) return
  ownOperations.add(operation_id)
  const [oldest] = ownOperations
  if (ownOperations.size > MAX_OWN_OPERATIONS && oldest !== undefined) ownOperations.delete(oldest)
}

/** Whether this page made the operation. */
export const isOwnOperation = (operation_id: string): boolean => ownOperations.has(operation_id)
