import { bootState } from '../../data/session/boot.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { openPalette } from '../palette/index.ts'

const LIST_PATH = /\/p\/[^/]+\/?$/

interface OpenList {
  project_id: string
  startNewTask: () => void
}

let openList: OpenList | undefined
let requestedProject: string | undefined

/** Starts a new task in the open list. On other screens the palette asks for the project. */
export function startNewTask(): void {
  const isList = LIST_PATH.test(location.pathname) && !location.search.includes('view=board')
  if (isList) openList?.startNewTask()
  else if (bootState.get()?.projects.some(({ status }) => status === 'active'))
    openPalette(shellMessages.newTaskIn(''))
}

/**
 * Starts a new task in the list of a project if it is open, and returns whether it is. If not, the
 * list starts it when it opens next, unless another project is opened before.
 */
export function requestNewTask(project_id: string): boolean {
  const isOpen = openList?.project_id === project_id
  requestedProject = isOpen ? undefined : project_id
  if (isOpen) openList?.startNewTask()
  return isOpen
}

/** Declares the open list, which starts new tasks. Returns a function for when it closes. */
export function declareOpenList(list: OpenList): () => void {
  openList = list
  if (requestedProject === list.project_id) list.startNewTask()
  requestedProject = undefined
  return () => {
    if (openList === list) openList = undefined
  }
}
