/** The classes that n8n loads one by one from `package.json`, for anyone who requires the package. */
module.exports = {
  ...require('./dist/credentials/AssetServiceApi.credentials'),
  ...require('./dist/credentials/AssetServiceSigningSecretApi.credentials'),
  ...require('./dist/nodes/AssetService/AssetService.node'),
  ...require('./dist/nodes/AssetServiceTrigger/AssetServiceTrigger.node'),
  ...require('./dist/nodes/AssetServicePollTrigger/AssetServicePollTrigger.node'),
  ...require('./dist/nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node'),
};
