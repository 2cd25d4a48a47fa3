/** The values that a user enters in the API credential, and the problems of a change to it. */
import { ApiError, parseApiSettings } from '../../../lib/service';

export const good = {
	baseUrl: 'https://api.example.com',
	authUrl: 'https://auth.example.com',
	audience: 'https://api.example.com',
	clientId: 'client',
	clientSecret: 'hush',
};

export const refusal = (change: Record<string, unknown>): ApiError => {
	try {
		parseApiSettings({ ...good, ...change });
	} catch (error) {
		if (error instanceof ApiError) return error;
	}
	throw new Error('it was expected to be refused with an ApiError');
};
