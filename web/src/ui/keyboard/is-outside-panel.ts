/**
 * Whether the focus is not in the task panel. The keys of a list leave the tasks of the list alone
 * while another task has the focus.
 */
export const isOutsidePanel = (): boolean => !document.activeElement?.closest('.panel')
