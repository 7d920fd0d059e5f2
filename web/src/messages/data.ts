/** What is told of writes. */
export const m = {
  changed: (id: string) => `Change of ${id}`,
  created: (title: string) => `New task “${title}”`,
  restored: (id: string) => `Restored ${id}`,
  refused: (id: string, why: string) => `${id} was not changed: ${why}`,
  notCreated: (title: string, why: string) => `“${title}” was not created: ${why}`,
}
