/**
 * Another workspace: by a page of its own, because all that this one knows belongs to the workspace it shows.
 * The browser asks first where something was not sent yet; the session follows the address.
 */
export const goToWorkspace = (id: string): void => location.assign(`/w/${id}/my`)
