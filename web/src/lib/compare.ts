/** For sorting what sorts as it is written: timestamps, days, positions. Names are compared as people do. */
export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
