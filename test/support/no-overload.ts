/** Stands in for src/http/overload.ts in servers of tests: nothing is refused, however late the server runs. */
export const SHED = undefined
export const isExempt = () => true
export const overload = () => ({ share: 1, late: () => undefined })
