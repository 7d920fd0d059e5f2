const MOST = 500
const own = new Set<string>()

/** Remembers an operation as one's own: its notice is no news. */
export function noteOwn(operation_id: string | undefined): void {
  if (operation_id === undefined) return
  own.add(operation_id)
  const [first] = own
  if (own.size > MOST && first !== undefined) own.delete(first)
}

/** Whether an operation was a write of this page. */
export const isOwn = (operation_id: string): boolean => own.has(operation_id)
