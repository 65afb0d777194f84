// The table of HTTP routes. A row defines who may call it and its body; the server checks both
// before it calls `run`.

import { catalogRoutes } from '../documents/catalog-routes.js'
import { collectionRoutes } from '../documents/collection-routes.js'
import { dataApiRoutes } from '../documents/data-api.js'
import { documentListRoutes } from '../documents/document-list.js'
import { resourceRoutes } from '../documents/document-resource.js'
import { documentRoutes } from '../documents/document-routes.js'
import { inspectionRoutes } from '../documents/inspection-routes.js'
import { privacyRoutes } from '../documents/privacy-routes.js'
import { transactionRoutes } from '../documents/transaction-routes.js'
import { transferRoutes } from '../documents/transfer-routes.js'
import { analyticsRoutes } from '../keys/analytics-routes.js'
import { authRoutes } from '../keys/auth-routes.js'
import { keyRoutes } from '../keys/key-routes.js'
import { whitelistRoutes } from '../keys/whitelist-routes.js'
import { memoryReadRoutes } from '../memory/memory-read-routes.js'
import { overHttp } from '../memory/memory-route.js'
import { memoryWriteRoutes } from '../memory/memory-write-routes.js'
import { protocolRoutes } from '../operations/protocol-routes.js'
import { sqlRoutes } from '../sql/sql-routes.js'
import type { AnyRoute } from './route.js'

export const routes: readonly AnyRoute[] = [
  ...collectionRoutes,
  ...catalogRoutes,
  ...inspectionRoutes,
  ...documentRoutes,
  ...documentListRoutes,
  ...resourceRoutes,
  ...transferRoutes,
  ...dataApiRoutes,
  ...transactionRoutes,
  ...sqlRoutes,
  ...privacyRoutes,
  ...whitelistRoutes,
  ...protocolRoutes,
  ...authRoutes,
  ...keyRoutes,
  ...analyticsRoutes,
  // Specific paths before those with parameters.
  ...[...memoryWriteRoutes, ...memoryReadRoutes].map(overHttp),
]
