/* The library's index warns on every start that it does not know this version of Node, so we import the files
 * behind it. */

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider'
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider'
  export const InvalidRequest: typeof errors.InvalidRequest
  export const InvalidScope: typeof errors.InvalidScope
  export const InvalidTarget: typeof errors.InvalidTarget
}

declare module 'oidc-provider/lib/helpers/configuration.js' {}
declare module 'oidc-provider/lib/helpers/jwt.js' {}
declare module 'oidc-provider/lib/models/index.js' {}
declare module 'oidc-provider/lib/actions/index.js' {}
declare module 'oidc-provider/lib/helpers/initialize_app.js' {}
