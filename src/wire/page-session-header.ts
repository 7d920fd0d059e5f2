/**
 * The header in which a page of the web app names its person and workspace, as `usr_…/wsp_…`
 * (docs/spec/api.md#session-cookie).
 */
export const PAGE_SESSION_HEADER = 'x-page-session'
