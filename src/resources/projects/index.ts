import { anyone, route } from '#core/route.ts'
import { getProject, listProjects } from './contract.ts'
import * as internal from './internal.ts'
import { ledProject, listedPerson, maker } from './leading.ts'
import { get, list, shownProject } from './operations.ts'
import * as writing from './writing.ts'

export const projects = [
  route(listProjects, anyone, list),
  route(getProject, shownProject, get),
  route(internal.createProject, maker, writing.create),
  route(internal.updateProject, ledProject, writing.update),
  route(internal.archiveProject, ledProject, writing.archive),
  route(internal.unarchiveProject, ledProject, writing.unarchive),
  route(internal.listPeople, shownProject, writing.listPeople),
  route(internal.putPerson, listedPerson, writing.putPerson),
  route(internal.removePerson, listedPerson, writing.removePerson),
]
