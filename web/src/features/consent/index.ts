/** The consent to an application that asks for access. */

export { Consent } from './consent.tsx'
