import { managersOnly } from '#core/managers.ts'
import { route } from '#core/route.ts'
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplications,
  listAuthorizations,
  rotateApplicationSecret,
  updateApplication,
} from './internal.ts'
import {
  authorizations,
  create,
  get,
  list,
  loadApplication,
  remove,
  rotate,
  update,
} from './operations.ts'

export const applications = [
  route(listApplications, managersOnly, list),
  route(createApplication, managersOnly, create),
  route(getApplication, (tx, { params }) => loadApplication(tx, params.id), get),
  route(updateApplication, (tx, { params }) => loadApplication(tx, params.id), update),
  route(deleteApplication, (tx, { params }) => loadApplication(tx, params.id), remove),
  route(rotateApplicationSecret, (tx, { params }) => loadApplication(tx, params.id), rotate),
  route(listAuthorizations, (tx, { params }) => loadApplication(tx, params.id), authorizations),
]
