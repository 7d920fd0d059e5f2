/* Its index says on every start that it does not know this version of Node: what is needed is behind it. */

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider'
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider'
  export const InvalidRequest: typeof errors.InvalidRequest
  export const InvalidScope: typeof errors.InvalidScope
  export const InvalidTarget: typeof errors.InvalidTarget
}
