/** The deleted tasks of the workspace. */

export { Trash } from './trash.tsx'
