/** What operations need to know of how the installation is set up. */
export interface Settings {
  /** Days for which a deleted task can be restored. */
  trashDays: number
}
