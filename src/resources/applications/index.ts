import { allowManagers } from '#core/managers.ts'
import { readRoute, writeRoute } from '#core/route.ts'
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplicationGrants,
  listApplications,
  rotateApplicationSecret,
  updateApplication,
} from './internal.ts'
import {
  create,
  get,
  grantsOfApp,
  list,
  loadApplication,
  remove,
  rotate,
  update,
} from './operations.ts'

export const applications = [
  readRoute(listApplications, allowManagers, list),
  writeRoute(createApplication, allowManagers, create),
  readRoute(getApplication, (tx, { params }) => loadApplication(tx, params.id), get),
  writeRoute(updateApplication, (tx, { params }) => loadApplication(tx, params.id), update),
  writeRoute(deleteApplication, (tx, { params }) => loadApplication(tx, params.id), remove),
  writeRoute(rotateApplicationSecret, (tx, { params }) => loadApplication(tx, params.id), rotate),
  readRoute(listApplicationGrants, (tx, { params }) => loadApplication(tx, params.id), grantsOfApp),
]
