/** What a simulated n8n process loads of the package. */
export { AssetService } from '../../nodes/AssetService/AssetService.node';
export { AssetServicePollTrigger } from '../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
export { AssetServiceStationTrigger } from '../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
export { AssetServiceTrigger } from '../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
