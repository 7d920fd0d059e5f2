/** Compares by code units: for timestamps, dates and positions, not for names. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
