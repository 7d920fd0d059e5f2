import type { View } from '#resources/views/internal.ts'

/** What a saved view is a name for, as the address has it; what is as usual is not said. */
export const addressOf = ({ id, view, f, sort, group, lanes }: View) => ({
  saved: id,
  ...(view !== 'list' && { view }),
  ...(f && { f }),
  ...(sort !== 'position' && { sort }),
  ...(group !== 'status' && { group }),
  ...(lanes !== 'none' && { lanes }),
})
