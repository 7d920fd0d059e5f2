/**
 * In place of the id of a credential, where the requests of several are counted together: API keys
 * and applications here, sessions below, because they have different limits.
 */
export const OTHER_KEYS = ''
export const OTHER_SESSIONS = 'sessions'
