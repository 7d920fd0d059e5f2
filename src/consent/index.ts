import type { Door } from '#core/door.ts'
import { look, settle } from './doors.ts'

/** What stands behind the page on which a person allows an application to act (contract 9.4). */
export const consent: readonly Door[] = [look, settle]
