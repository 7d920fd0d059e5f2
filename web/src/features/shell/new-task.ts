import { boot } from '../../data/boot.ts'
import { m } from '../../messages/palette.ts'
import { openPalette } from '../palette/open.ts'

const LIST = /\/p\/[^/]+\/?$/
let wanted = false

/** As the key does it: the list at hand begins one; elsewhere the palette asks for the project. */
export function newTask(): void {
  const isList = LIST.test(location.pathname) && !location.search.includes('view=board')
  if (isList) dispatchEvent(new CustomEvent('docket:new-task'))
  else if (boot.get()?.projects.some(({ status }) => status === 'active'))
    openPalette(m.newTaskIn(''))
}

/** The list that is opened next begins a new task. */
export const wantNewTask = (): void => {
  wanted = true
}

/** Whether it was wanted; once. */
export function takeWanted(): boolean {
  const before = wanted
  wanted = false
  return before
}
