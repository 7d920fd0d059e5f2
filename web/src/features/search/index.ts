/** The search for tasks. */

export { Search } from './search.tsx'
