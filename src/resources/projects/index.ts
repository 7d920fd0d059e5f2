import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { getProject, listProjects } from './contract.ts'
import * as internal from './internal.ts'
import { assertCanCreateProject, loadPeopleListEntry, loadProjectToChange } from './load.ts'
import { get, list, loadProjectByParams } from './operations.ts'
import * as writing from './write-operations.ts'

export const projects = [
  readRoute(listProjects, allowAnyRole, list),
  readRoute(getProject, loadProjectByParams, get),
  writeRoute(internal.createProject, assertCanCreateProject, writing.create),
  writeRoute(internal.updateProject, loadProjectToChange, writing.update),
  writeRoute(internal.archiveProject, loadProjectToChange, writing.archive),
  writeRoute(internal.unarchiveProject, loadProjectToChange, writing.unarchive),
  readRoute(internal.listPeople, loadProjectByParams, writing.listProjectPeople),
  writeRoute(internal.putPerson, loadPeopleListEntry, writing.putProjectPerson),
  writeRoute(internal.removePerson, loadPeopleListEntry, writing.removeProjectPerson),
]
