import { anyone, route } from '#core/route.ts'
import { getProject, listProjects } from './contract.ts'
import { get, list, shownProject } from './operations.ts'

export const projects = [route(listProjects, anyone, list), route(getProject, shownProject, get)]
