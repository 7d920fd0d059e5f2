import { bootState } from '../../data/session/boot.ts'
import { paletteMessages } from '../../messages/app/palette.ts'
import { openPalette } from '../palette/index.ts'

const LIST_PATH = /\/p\/[^/]+\/?$/
let isRequested = false

/** Starts a new task in the open list. On other screens the palette asks for the project. */
export function startNewTask(): void {
  const isList = LIST_PATH.test(location.pathname) && !location.search.includes('view=board')
  if (isList) dispatchEvent(new CustomEvent('docket:new-task'))
  else if (bootState.get()?.projects.some(({ status }) => status === 'active'))
    openPalette(paletteMessages.newTaskIn(''))
}

/** Makes the next list that opens start a new task. */
export const requestNewTask = (): void => {
  isRequested = true
}

/** Returns whether a new task was requested, and resets the request. */
export function takeNewTaskRequest(): boolean {
  const result = isRequested
  isRequested = false
  return result
}
