import type { SessionAction } from '#core/session-action.ts'
import { decideInteractionAction, getInteractionAction } from './consent-actions.ts'

/** The actions of the page on which a user gives an application access (docs/spec/api.md#keys-applications-consent). */
export const consentActions: readonly SessionAction[] = [
  getInteractionAction,
  decideInteractionAction,
]
