/** The parts of the settings that other features show. The screen is settings-page.tsx. */

export { parseSupervision, SupervisionChoice } from './agents/supervision-choice.tsx'
export { Passkeys } from './profile/passkeys.tsx'
export { SecondFactorSettings } from './profile/second-factor-settings.tsx'
export { type AccountSignInMethods, signInMethodsQuery } from './profile/sign-in-methods-query.ts'
export { SectionHeader } from './settings-header.tsx'
