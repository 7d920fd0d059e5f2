import { Problem } from '../../lib/problem.ts'

/** Leads who has signed in and has no workspace to where one begins; tells whether it did. */
export function goHomeless(error: unknown): boolean {
  const isHomeless = error instanceof Problem && error.code === 'no_workspace'
  if (isHomeless) location.assign('/no-workspace')
  return isHomeless
}
