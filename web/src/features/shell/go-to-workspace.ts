/**
 * Opens another workspace by loading a new page, because all data in memory belongs to the current
 * workspace. The browser asks first if changes are not sent yet. The session follows the URL.
 */
export const goToWorkspace = (id: string): void => location.assign(`/w/${id}/my`)
