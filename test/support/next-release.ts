/** Preloaded: a release that comes after this one, which so is the release before. */
import { NEXT, release } from './releases.ts'

release(NEXT)
